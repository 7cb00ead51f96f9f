define i32 @kernel(i64 noundef %A_n0.0, i64 noundef %A_n1.1, ptr noalias nonnull noundef %A_pos1.2, ptr noalias nonnull noundef %A_crd1.3, ptr noalias nonnull noundef %A_vals.4, i64 noundef %x_n0.5, ptr noalias nonnull noundef %x_vals.6, i64 noundef %y_n0.7, ptr noalias nonnull noundef %y_vals.8) nounwind "irtensor-effort"="scalar" {
b0:
  %v9 = alloca i32
  %v10 = alloca double
  %v11 = alloca i64
  %v12 = alloca <4 x double>
  store i32 0, ptr %v9
  %v13 = icmp slt i64 0, %A_n0.0
  br i1 %v13, label %b1, label %b2
b1:
  %v14 = getelementptr inbounds i32, ptr %A_pos1.2, i64 0
  %v15 = load i32, ptr %v14, align 4
  store i32 %v15, ptr %v9
  br label %b2
b2:
  %v16 = icmp slt i64 0, %A_n0.0
  br i1 %v16, label %b3, label %b10
b3:
  %v17 = phi i64 [ 0, %b2 ], [ %v91, %b9 ]
  %v18 = load i32, ptr %v9
  %v19 = add nsw i64 %v17, 1
  store double 0x0000000000000000, ptr %v10
  %v20 = sext i32 %v18 to i64
  %v21 = getelementptr inbounds i32, ptr %A_pos1.2, i64 %v19
  %v22 = load i32, ptr %v21, align 4
  store i32 %v22, ptr %v9
  %v23 = sext i32 %v22 to i64
  %v24 = sub nsw i64 %v23, %v20
  store i64 %v20, ptr %v11
  %v25 = icmp sge i64 %v24, 4
  br i1 %v25, label %b4, label %b7
b4:
  %v26 = sdiv i64 %v24, 4
  %v27 = insertelement <4 x double> undef, double 0x8000000000000000, i64 0
  %v28 = shufflevector <4 x double> %v27, <4 x double> undef, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v29 = load double, ptr %v10
  %v30 = insertelement <4 x double> %v28, double %v29, i64 0
  store <4 x double> %v30, ptr %v12
  %v31 = icmp slt i64 0, %v26
  br i1 %v31, label %b5, label %b6
b5:
  %v32 = phi i64 [ 0, %b4 ], [ %v68, %b5 ]
  %v33 = mul nsw i64 %v32, 4
  %v34 = add nsw i64 %v20, %v33
  %v35 = add nsw i64 %v34, 1
  %v36 = add nsw i64 %v34, 2
  %v37 = add nsw i64 %v34, 3
  %v38 = load <4 x double>, ptr %v12
  %v39 = getelementptr inbounds double, ptr %A_vals.4, i64 %v34
  %v40 = load <4 x double>, ptr %v39, align 8
  %v41 = getelementptr inbounds i32, ptr %A_crd1.3, i64 %v34
  %v42 = load i32, ptr %v41, align 4
  %v43 = sext i32 %v42 to i64
  %v44 = getelementptr inbounds double, ptr %x_vals.6, i64 %v43
  %v45 = load double, ptr %v44, align 8
  %v46 = insertelement <4 x double> undef, double %v45, i64 0
  %v47 = shufflevector <4 x double> %v46, <4 x double> undef, <4 x i32> <i32 0, i32 0, i32 0, i32 0>
  %v48 = getelementptr inbounds i32, ptr %A_crd1.3, i64 %v35
  %v49 = load i32, ptr %v48, align 4
  %v50 = sext i32 %v49 to i64
  %v51 = getelementptr inbounds double, ptr %x_vals.6, i64 %v50
  %v52 = load double, ptr %v51, align 8
  %v53 = insertelement <4 x double> %v47, double %v52, i64 1
  %v54 = getelementptr inbounds i32, ptr %A_crd1.3, i64 %v36
  %v55 = load i32, ptr %v54, align 4
  %v56 = sext i32 %v55 to i64
  %v57 = getelementptr inbounds double, ptr %x_vals.6, i64 %v56
  %v58 = load double, ptr %v57, align 8
  %v59 = insertelement <4 x double> %v53, double %v58, i64 2
  %v60 = getelementptr inbounds i32, ptr %A_crd1.3, i64 %v37
  %v61 = load i32, ptr %v60, align 4
  %v62 = sext i32 %v61 to i64
  %v63 = getelementptr inbounds double, ptr %x_vals.6, i64 %v62
  %v64 = load double, ptr %v63, align 8
  %v65 = insertelement <4 x double> %v59, double %v64, i64 3
  %v66 = fmul contract <4 x double> %v40, %v65
  %v67 = fadd contract reassoc <4 x double> %v38, %v66
  store <4 x double> %v67, ptr %v12
  %v68 = add nsw i64 %v32, 1
  %v69 = icmp slt i64 %v68, %v26
  br i1 %v69, label %b5, label %b6, !llvm.loop !1
b6:
  %v70 = load <4 x double>, ptr %v12
  %v71 = call contract reassoc double @llvm.vector.reduce.fadd.v4f64(double 0x8000000000000000, <4 x double> %v70)
  store double %v71, ptr %v10
  %v72 = mul nsw i64 %v26, 4
  %v73 = add nsw i64 %v20, %v72
  store i64 %v73, ptr %v11
  br label %b7
b7:
  %v74 = load i64, ptr %v11
  %v75 = icmp slt i64 %v74, %v23
  br i1 %v75, label %b8, label %b9
b8:
  %v76 = phi i64 [ %v74, %b7 ], [ %v87, %b8 ]
  %v77 = getelementptr inbounds i32, ptr %A_crd1.3, i64 %v76
  %v78 = load i32, ptr %v77, align 4
  %v79 = sext i32 %v78 to i64
  %v80 = getelementptr inbounds double, ptr %A_vals.4, i64 %v76
  %v81 = load double, ptr %v80, align 8
  %v82 = getelementptr inbounds double, ptr %x_vals.6, i64 %v79
  %v83 = load double, ptr %v82, align 8
  %v84 = fmul contract double %v81, %v83
  %v85 = load double, ptr %v10
  %v86 = fadd contract reassoc double %v85, %v84
  store double %v86, ptr %v10
  %v87 = add nsw i64 %v76, 1
  %v88 = icmp slt i64 %v87, %v23
  br i1 %v88, label %b8, label %b9, !llvm.loop !3
b9:
  %v89 = load double, ptr %v10
  %v90 = getelementptr inbounds double, ptr %y_vals.8, i64 %v17
  store double %v89, ptr %v90, align 8
  %v91 = add nsw i64 %v17, 1
  %v92 = icmp slt i64 %v91, %A_n0.0
  br i1 %v92, label %b3, label %b10, !llvm.loop !4
b10:
  ret i32 0
}
!0 = !{!"llvm.loop.unroll.disable"}
!1 = distinct !{!1, !0}
!2 = !{!"llvm.loop.vectorize.enable", i1 false}
!3 = distinct !{!3, !0, !2}
!4 = distinct !{!4, !0}
